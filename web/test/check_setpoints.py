# Checks of set-points: sliders that are sent while they are dragged. Run by check.py.
import time

from browser import chromium, open_page, until
from common import VIEWER, check, clean, folder, texts
from selenium.webdriver.common.by import By
from server import Server


def slide(d, label, value, kind="input"):
    d.execute_script("""const s = [...document.querySelectorAll('.control input[type=range]')].find(e => e.getAttribute('aria-label') === arguments[0]);
        s.value = arguments[1]; s.dispatchEvent(new Event(arguments[2], {bubbles: true}))""", label, value, kind)


@check
def set_points_are_sent_while_they_are_dragged():
    server = Server(VIEWER, folder / "served", live=True)
    point = {"path": "setpoints.speed", "label": "speed of the arm", "unit": "rad/s", "value": 0.2, "low": 0, "high": 1, "group": "Set-points", "immediate": True}
    server.header["controls"].append(point)
    try:
        with chromium() as d:
            open_page(d, server.address)
            assert texts(d, ".controls h3") == ["Set-points", "May be changed while it runs"]
            assert until(lambda: "Paused" in texts(d, ".live .status")[0])
            sent = lambda path: [o["value"] for o in server.told if o.get("path") == path]  # noqa: E731
            began = time.monotonic()
            for i in range(60):
                slide(d, point["label"], 0.2 + 0.01 * i)
                time.sleep(0.01)
            took = time.monotonic() - began
            assert until(lambda: abs((sent(point["path"]) or [0])[-1] - 0.79) < 2e-3), sent(point["path"])
            values = sent(point["path"])
            assert 4 <= len(values) <= 20 * took + 2, (len(values), took)
            assert values == sorted(values)
            # a new header does not take the slider out of the hand, not even one with more controls
            for more in ([], [{**point, "path": "setpoints.other", "label": "other"}]):
                server.header["controls"] = server.header["controls"] + more
                before = len([a for a in server.asked if a == "/view.json"])
                server.news.append("header")
                assert until(lambda: len([a for a in server.asked if a == "/view.json"]) > before)
                time.sleep(0.3)
                held = d.execute_script("return document.querySelector('.control input[type=range]').value")
                assert abs(float(held) - 0.79) < 2e-3, held
            count = len(sent(point["path"]))
            slide(d, point["label"], 0.9)
            slide(d, point["label"], 0.9, "change")
            assert until(lambda: abs(sent(point["path"])[-1] - 0.9) < 2e-3)
            time.sleep(0.2)
            assert len(sent(point["path"])) == count + 1, "the last value was sent twice"
            assert until(lambda: len(d.find_elements(By.CSS_SELECTOR, ".control")) == 3), "the control that was added does not come"
            # others only at the end
            slide(d, "friction", 0.7)
            time.sleep(0.2)
            assert sent("bodies[0].law.friction") == []
            slide(d, "friction", 0.7, "change")
            assert until(lambda: sent("bodies[0].law.friction") == [0.7])
            # let go, it follows the server
            for c in server.header["controls"]:
                if c["path"] == point["path"]:
                    c["value"] = 0.3
            server.news.append("header")
            assert until(lambda: float(d.execute_script("return document.querySelector('.control input[type=range]').value")) == 0.3)
            clean(d)
    finally:
        server.close()
