# Headless Chromium for the checks of the viewer.
import contextlib
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-dev-shm-usage", "--disable-gpu-compositing", "--autoplay-policy=no-user-gesture-required", "--hide-scrollbars"]


@contextlib.contextmanager
def chromium(width=1360, height=860, dark=False, webgl=True):
    """A browser whose page is width x height (also narrower than windows may be)."""
    options = Options()
    flags = FLAGS if webgl else ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-dev-shm-usage"]
    for flag in flags:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(120)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    try:
        yield driver
    finally:
        driver.quit()


def open_page(driver, address):
    driver.get(address)
    driver.execute_async_script("const done = arguments[arguments.length - 1]; window.saltus.ready.then(() => done(), () => done());")
    wait(driver, 2)


def wait(driver, frames):
    """Until the browser has drawn some frames more."""
    driver.execute_async_script(
        "let n = arguments[0]; const done = arguments[1]; const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f();", frames)


def ask(driver, expression):
    return driver.execute_script(f"return window.saltus.{expression}")


def faults(driver):
    """What the page and the console complain of."""
    console = [e["message"] for e in driver.get_log("browser") if e["level"] == "SEVERE" or "saltus" in e["message"]]
    return list(ask(driver, "errors")) + console


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
