# What the checks share: the list of them, pages, pictures.
import base64
import sys
from pathlib import Path

from browser import ask, faults
from selenium.webdriver.common.by import By

VIEWER = Path(__file__).resolve().parent.parent / "dist" / "viewer.html"
folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out").resolve()
checks = []


def check(f):
    checks.append(f)
    return f


def page(name):
    return f"file://{folder / name}.html"


def clean(driver):
    assert faults(driver) == [], faults(driver)


def pixels(driver):
    """Bytes of the picture as PNG: different pictures, different bytes."""
    return base64.b64decode(ask(driver, "screenshot()").split(",")[1])


def texts(driver, selector):
    return [e.text for e in driver.find_elements(By.CSS_SELECTOR, selector)]


def colours(driver, points):
    """Red, green, blue of pixels of the view, as a picture of it has them."""
    return driver.execute_async_script("""
        const [address, points, done] = arguments, image = new Image();
        image.onload = () => {
            const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height}), g = canvas.getContext('2d');
            g.drawImage(image, 0, 0);
            done(points.map(([x, y]) => [...g.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3)));
        };
        image.src = address;""", ask(driver, "screenshot()"), points)


def screen(driver, place):
    return driver.execute_script("return window.saltus.screen(...arguments[0])", place)


def press(driver, key):
    driver.find_element(By.TAG_NAME, "body").send_keys(key)
