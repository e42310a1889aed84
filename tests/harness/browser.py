# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium over its debugging pipe, with nothing but Python's own library."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """Returns the path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """A browser with one page. Commands of the protocol are texts that end with a zero byte."""

    def __init__(self):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._profile = tempfile.mkdtemp()
        self._number = 0
        self._rest = b""

        def take_pipes():
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--remote-debugging-pipe", "--user-data-dir=" + self._profile, "about:blank"],
            preexec_fn=take_pipes, pass_fds=(3, 4, to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")

    def close(self):
        """Ends the browser."""
        os.close(self._out)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        """Calls a method and returns its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": params}
        if hasattr(self, "session"):
            command["sessionId"] = self.session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self._out, text):]
        while True:
            message = self._message()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(method + ": " + message["error"]["message"])
                return message["result"]

    def open(self, url):
        """Opens a page."""
        self.call("Page.navigate", url=url)

    def value(self, script):
        """Returns the value of a JavaScript expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def until(self, script, tries=300):
        """Waits until an expression is true. Returns its last value."""
        found = None
        for _ in range(tries):
            try:
                found = self.value(script)
            except RuntimeError:  # the page is loading
                found = None
            if found:
                break
            time.sleep(0.1)
        return found

    def click(self, selector):
        """Clicks the middle of an element with the pointer."""
        self.value("document.querySelector(%s).scrollIntoView({ block: 'center' })" % json.dumps(selector))
        box = self.value("(() => { const b = document.querySelector(%s).getBoundingClientRect();"
                         " return [b.x + b.width / 2, b.y + b.height / 2]; })()" % json.dumps(selector))
        self.click_at(*box)

    def click_at(self, x, y):
        """Clicks a point of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        """Presses a key."""
        text = key if len(key) == 1 else "\r" if key == "Enter" else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def window(self, width, height, dark=False):
        """Sets the size of the window and the preferred colours."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        """Writes the whole page as a PNG."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        with open(path, "wb") as out:
            out.write(base64.b64decode(answer["data"]))
