# A page of the viewer in headless Chromium, and the words by which tests ask it.
import base64
import contextlib
import json
import os
import re
import shutil
import sys
import zlib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def missing():
    """What these tests need and is not there; empty if all is."""
    lost = []
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        lost.append("chromium")
    if not shutil.which("chromedriver"):
        lost.append("chromium-driver")
    for module in ("selenium", "h5py"):
        try:
            __import__(module)
        except ImportError:
            lost.append(f"python3-{module}")
    return lost


class NoBrowser(Exception):
    """Chromium is installed and does not start on this machine."""


@contextlib.contextmanager
def chromium(width=720, height=480):
    """A browser whose page is width x height. It tells every address that a page asks for."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    sys.path.insert(0, str(REPOSITORY / "web" / "test"))
    from browser import FLAGS

    options = Options()
    for flag in [*FLAGS, "--enable-precise-memory-info", "--js-flags=--expose-gc", f"--window-size={width},{height}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.set_capability("goog:perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome")
    os.environ.setdefault("SE_OFFLINE", "true")
    from selenium.common.exceptions import WebDriverException
    try:
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    except WebDriverException as fault:
        raise NoBrowser(str(fault).split("\n")[0]) from fault
    driver.set_script_timeout(120)
    driver.set_page_load_timeout(120)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    try:
        yield driver
    finally:
        driver.quit()


# Heads of pictures are the view; below is a line of words with the moment, which differs anyhow.
LOOK = """const done = arguments[0], image = new Image();
image.onload = () => {
  const c = document.createElement('canvas');
  c.width = image.width; c.height = image.height - 30;
  const g = c.getContext('2d', {willReadFrequently: true});
  g.drawImage(image, 0, 0);
  const p = new Uint32Array(g.getImageData(0, 0, c.width, c.height).data.buffer);
  let hash = 2166136261, colours = new Set();
  for (let i = 0; i < p.length; i++) { hash = Math.imul(hash ^ p[i], 16777619); if (i % 7 === 0) colours.add(p[i]); }
  done({hash: hash >>> 0, colours: colours.size});
};
image.onerror = () => done(null);
image.src = window.saltus.screenshot();"""


class Page:
    """The page that a driver shows. `address` is the only one, with all below it, that it may ask."""

    def __init__(self, driver, address):
        self.driver, self.address = driver, address
        self.faults()  # of pages before
        self.foreign()
        driver.get(address)
        driver.execute_async_script("const done = arguments[0]; window.saltus.ready.then(done, done);")
        # of the page's own clock: from the start of its loading to the run being shown
        self.ready_seconds = driver.execute_script("return performance.now() / 1000")
        self.drawn(2)

    def ask(self, expression):
        return self.driver.execute_script(f"return window.saltus.{expression}")

    def drawn(self, frames=2):
        """Waits until the browser has drawn some frames more."""
        self.driver.execute_async_script(
            "let n = arguments[0]; const done = arguments[1]; const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f();",
            frames)

    def go_to(self, frame):
        self.ask(f"goTo({frame})")
        self.drawn()
        return self.ask("frame()")

    def scrub(self, frame):
        """As a hand at the slider does."""
        self.driver.execute_script(
            "const s = document.getElementById('scrub'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", frame)
        self.drawn()
        return self.ask("frame()")

    def play_on(self):
        """Plays until another frame is shown, or six hundred pictures were drawn; the frame at which it then stops."""
        return self.driver.execute_async_script("""const done = arguments[0], s = window.saltus, first = s.frame();
        let pictures = 0;
        const look = () => {
          if (s.frame() === first && pictures++ < 600) { requestAnimationFrame(look); return; }
          s.pause();
          done(s.frame());
        };
        s.play();
        look();""")

    def look(self):
        """{hash, colours} of the view."""
        return self.driver.execute_async_script(LOOK)

    def cursors(self):
        """Where the lines stand that mark the moment in the plots that are drawn."""
        return self.driver.execute_script("return [...document.querySelectorAll('.plot .now-line')].map(e => e.style.transform)")

    def texts(self, selector):
        return self.driver.execute_script("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector)

    def press(self, label):
        """Presses the button with this label."""
        self.driver.execute_script(
            """const b = [...document.querySelectorAll('button')].find(b => b.innerText.trim() === arguments[0]);
            if (!b) throw new Error('no button ' + arguments[0]);
            if (b.disabled) throw new Error('the button ' + arguments[0] + ' cannot be pressed');
            b.click();""", label)

    def faults(self):
        """What the page and its console complain of."""
        # without a compositor on the GPU the browser reads each picture back, and says that this takes time
        console = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"
                   or ("saltus" in e["message"] and "GL Driver Message (OpenGL, Performance" not in e["message"])]
        return list(self.driver.execute_script("return window.saltus ? window.saltus.errors : []")) + console

    def foreign(self):
        """Addresses asked for since the last call that are neither of the page nor data in it."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                asked.append(message["params"].get("request", message["params"])["url"])
        entries = self.driver.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
        return [a for a in asked + entries if not a.startswith((self.address.split("?")[0], "data:", "blob:"))]

    def heap(self):
        """Memory that script holds [bytes], after what is not needed is given back."""
        return self.driver.execute_script("window.gc && gc(); return performance.memory.usedJSHeapSize")

    def clean(self):
        faults, foreign = self.faults(), self.foreign()
        assert not faults, f"the page complains: {faults}"
        assert not foreign, f"the page asks others: {foreign[:3]}"


class Data:
    """What `saltus report` wrote into a page, read apart from the viewer."""

    TYPES = {"f32": "<f4", "f64": "<f8", "u8": "u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4"}

    def __init__(self, path):
        self.text = Path(path).read_text(encoding="utf-8")
        self.header = json.loads(self._script("saltus-header"))
        self.static = zlib.decompress(base64.b64decode(self._script("saltus-static")))

    def _script(self, name):
        found = re.search(rf'<script[^>]*id="{name}"[^>]*>(.*?)</script>', self.text, re.DOTALL)
        assert found, f"the page has no script {name}"
        return found[1]

    def array(self, reference):
        import numpy
        return numpy.frombuffer(self.static, self.TYPES[reference["type"]], reference["count"], reference["at"])

    def policy(self):
        found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', self.text)
        return found[1] if found else ""
