#!/usr/bin/env python3
"""Tells after how many milliseconds a browser has painted pages of `loto serve --http`, and how much it was sent for them.

    PYTHON/bin/python tests/python/live_page_paint.py http://127.0.0.1:8080/ ...

Needs playwright, as live_page_check.py says; CHROMIUM names another browser than its own. Each page is opened three times without
what was kept of it before; told is the middle one.
"""

import os
import statistics
import sys

from playwright.sync_api import sync_playwright

PAINT = """() => new Promise(resolve => {
    const told = () => {
        const entry = performance.getEntriesByName("first-contentful-paint")[0];
        if (!entry) return setTimeout(told, 20);
        const loaded = performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"));
        resolve([entry.startTime, loaded.reduce((bytes, part) => bytes + part.transferSize, 0)]);
    };
    told();
})"""


def paint(browser, address):
    page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
    page.goto(address)
    told = page.evaluate(PAINT)
    page.context.close()
    return told


def main(addresses):
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for address in addresses:
            times, sent = zip(*(paint(browser, address) for _ in range(3)))
            print(
                f"  {address}: painted after {statistics.median(times):.0f} ms, {statistics.median(sent) / 1000:.1f} kB sent",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
