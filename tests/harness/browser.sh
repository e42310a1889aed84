# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sets $browser to the program that opens pages, or to nothing and $no_browser to the reason. One run with a browser is
# enough, so it has none with a sanitizer, and with TEST_BROWSER=none.

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
no_browser='chromium is not installed'
case $BUILD,${TEST_BROWSER:-} in
*/asan,* | *,none)
    browser=
    no_browser='make check-all runs it once'
    ;;
esac
export browser no_browser
