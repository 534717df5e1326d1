"""Looks at the pages of `loto serve --http` in a browser, for tests that are run by hand.

    python3 -m venv venv && venv/bin/pip install playwright axe-playwright-python
    venv/bin/playwright install chromium            # or CHROMIUM=/usr/bin/chromium
    venv/bin/python tests/python/live_page_check.py http://127.0.0.1:8080 FOLDER

Opens the list, the newest sweep, the parts of its results, a method, a series, a job and a comparison, wide, middling and narrow,
light and dark. Writes a
screenshot of each to FOLDER, and exits with status 1 if axe-core finds a violation, a page is wider than its window, or the
browser complains (of what a content security policy forbids, for example).
"""

import os
import pathlib
import sys

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

WIDTHS = (1400, 800, 400)
PATIENCE = 60_000


def open_sweep(page, base):
    page.goto(base + "/")
    page.wait_for_selector("#sweeps th a", timeout=PATIENCE)
    page.click("#sweeps th a")
    page.wait_for_selector("#grid-0 table", timeout=PATIENCE)
    page.wait_for_selector("#results-0 h2", timeout=PATIENCE)


def open_list(page, base):
    page.goto(base + "/")
    page.wait_for_selector("#sweeps table", timeout=PATIENCE)


def open_series(page, base):
    open_sweep(page, base)
    page.click("#grid-0 td a")
    page.wait_for_selector(".job")


def open_job(page, base):
    open_series(page, base)
    page.click(".job h2 a")
    page.wait_for_selector("h1")


def open_part(part):
    def show(page, base):
        open_sweep(page, base)
        page.goto(page.url + "/results/0/" + part)
        page.wait_for_selector("#results-0 figure", timeout=PATIENCE)

    return show


def open_method(page, base):
    open_sweep(page, base)
    page.goto(page.url + "/jobs/0/0")
    page.wait_for_selector(".grid")


def open_comparison(page, base):
    open_sweep(page, base)
    page.click("summary:has-text('Compare two methods')")
    page.click(".compare button")
    page.wait_for_selector("h1")


PAGES = {
    "list": open_list,
    "sweep": open_sweep,
    **{part: open_part(part) for part in ("scores", "evaluations", "tasks", "pairs")},
    "method": open_method,
    "series": open_series,
    "job": open_job,
    "comparison": open_comparison,
}


def main(base, folder):
    folder.mkdir(parents=True, exist_ok=True)
    problems = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            context = browser.new_context(color_scheme=scheme, viewport={"width": WIDTHS[0], "height": 1000})
            page = context.new_page()
            complaints = []
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            for name, show in PAGES.items():
                page.set_viewport_size({"width": WIDTHS[0], "height": 1000})
                show(page, base)
                for box in page.query_selector_all("main details:not([open]) > summary"):
                    box.click()
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 1000})
                    needed = page.evaluate("document.documentElement.scrollWidth")
                    if needed > width:
                        problems.append(f"{name}, {scheme}, {width}: {needed} pixels wide")
                    page.screenshot(path=folder / f"{name}-{scheme}-{width}.png", full_page=True)
                    found = Axe().run(page)
                    print(f"{name}, {scheme}, {width}: {found.violations_count} violations", flush=True)
                    if found.violations_count:
                        problems.append(f"{name}, {scheme}, {width}: {found.generate_report()}")
            problems += [f"{scheme}: {complaint}" for complaint in complaints]
        browser.close()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/"), pathlib.Path(sys.argv[2])))
