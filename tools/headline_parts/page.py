# SPDX-License-Identifier: Apache-2.0
"""Writes the page and the Markdown of tools/headline."""

import json
import os
import re

from headline_parts import tables

FOLDERS = ("tools/headline_parts", "src/web/report", "third_party/uplot")


def read_file(root, name):
    for folder in FOLDERS:
        path = os.path.join(root, folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(name)


def write(out, root, results):
    """Returns the path of the page."""
    sections = tables.sections(results)
    # "<" can only stand inside a string of JSON; escaped, no string ends the script element.
    data = json.dumps({"runs": len(results), "sections": sections}).replace("<", "\\u003c")
    text = re.sub(r"\{\{([\w.]+)\}\}", lambda match: data if match[1] == "data" else read_file(root, match[1]),
                  read_file(root, "headline.html"))
    path = os.path.join(out, "headline.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(out, "tables.md"), "w", encoding="utf-8") as file:
        for section in sections:
            file.write(f"## {section['title']}\n\n")
            for table in section["tables"]:
                file.write(f"{table['title']}\n\n" + tables.markdown(table) + "\n")
    return path


def table_end(lines, begin):
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return end


def with_tables(path, results):
    """Returns the text of the document, with its tables made anew, and what is wrong with it. A table follows the line
    that has its title."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    faults = []
    for section in tables.sections(results):
        for table in section["tables"]:
            faults += tables.faults_of(table, lines)
            if table["title"] not in lines:
                continue
            begin = lines.index(table["title"]) + 2
            lines[begin:table_end(lines, begin)] = tables.markdown(table).rstrip("\n").split("\n")
    return "\n".join(lines), faults
