# Checks of what a scene says of itself: joints, colours, names, walls, outputs of its own. Run by check.py.
import math

from browser import ask, chromium, open_page, wait
from common import check, clean, colours, page, press, screen, texts
from selenium.webdriver.common.by import By

END, COUNT = 2.4, 120  # of the sample
SERVO, ELBOW, SPRING, CLAMP, BOB, DAMPER, CROSS, LINK, OLD = 0, 2, 5, 6, 7, 8, 10, 12, 15
CARRIAGE, PLATE, CABLE = 1, 3, 2


def moment(k):
    return END * k / (COUNT - 1)


def show(d, k):
    ask(d, f"goTo({k})")
    wait(d, 3)
    return moment(k)


def near(a, b, tolerance=5e-4):
    return math.dist(a, b) < tolerance


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def click_at(d, place):
    x, y = screen(d, place)
    d.execute_script("""Element.prototype.setPointerCapture = () => {};
        const c = document.querySelector('.view canvas'), b = c.getBoundingClientRect();
        for (const type of ['pointerdown', 'pointerup']) c.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: b.left + arguments[0], clientY: b.top + arguments[1], bubbles: true}))""", x, y)
    wait(d, 2)


@check
def joints_are_where_their_bodies_are_in_each_frame():
    with chromium() as d:
        open_page(d, page("joints"))
        seen = []
        for k in (0, 30, 75, 119):
            t = show(d, k)
            q1, q2 = 0.9 * math.sin(1.7 * t), 0.35 + 0.3 * math.sin(2.6 * t)
            elbow = (-0.6 + 0.7 * math.sin(q2) * math.cos(q1), 0.7 * math.sin(q2) * math.sin(q1), 0.4 + 0.7 * math.cos(q2))
            a, b = ask(d, f"jointPlace({ELBOW})")
            assert near(a, elbow) and near(b, elbow), (k, a, b, elbow)
            seen.append(a)
            # both sides of what has one place, also where the bodies are an orientation or a mesh apart
            for j in range(5):
                if j != 4:  # the slider moves away from its rail
                    assert near(*ask(d, f"jointPlace({j})")), (k, j, ask(d, f"jointPlace({j})"))
            assert near(*ask(d, f"jointPlace({CROSS})")) and near(*ask(d, f"jointPlace({BOB})"))
            a, b = ask(d, f"jointPlace({SPRING})")
            assert near(a, (-0.6, 0.75, 0.14)) and near(b, (0.42 + 0.4 * math.sin(2.2 * t), 0.75, 0.14)), (k, a, b)
            a, b = ask(d, f"jointPlace({BOB})")  # the last point of a line
            assert near(a, (1.1 + 0.25 * math.sin(4 * t), -0.1 + 0.1 * math.sin(3 * t + 2), 0.95)), (k, a)
            a, b = ask(d, f"jointPlace({DAMPER})")  # a point of a mesh
            assert near(b, (1.27, -0.67, 0.75 + 0.12 * math.sin(7 * t))), (k, b)
            assert ask(d, f"jointPlace({OLD})") is None  # only name and kind
        assert math.dist(seen[0], seen[1]) > 0.05
        # exaggerated displacements take the joint along
        show(d, 30)
        press(d, "d")
        slider = [e for e in d.find_elements(By.CSS_SELECTOR, ".display .slide") if "Exaggerate bodies" in e.text][0].find_element(By.TAG_NAME, "input")
        d.execute_script("arguments[0].value = 0.5; arguments[0].dispatchEvent(new Event('input'))", slider)
        wait(d, 2)
        u = 0.12 * math.sin(7 * moment(30))
        assert near(ask(d, f"jointPlace({DAMPER})")[1], (1.27, -0.67, 0.75 + 10 ** 0.5 * u), 2e-3)
        clean(d)


@check
def joints_are_seen_also_through_bodies():
    with chromium() as d:
        open_page(d, page("joints"))
        a, b = ask(d, f"jointPlace({LINK})")
        link = screen(d, [(x + y) / 2 for x, y in zip(a, b)])
        inside = screen(d, [-0.6, 0, 0.1])  # of the axis of the servo, in the middle of the turret
        around = [(inside[0] + x, inside[1] + y) for x in range(-18, 19) for y in range(-12, 13)]
        red = lambda: sum(r > g + 30 for r, g, _ in colours(d, around))  # noqa: E731: pixels of the servo, which is wholly in the turret
        shown = colours(d, [link, inside])
        assert red() > 20, red()
        assert max(shown[0]) < 90, shown  # a dark line before a light wall
        press(d, "j")
        wait(d, 2)
        assert ask(d, "counts()")["joints"] == 0 and ask(d, f"jointPlace({LINK})") is None
        hidden = colours(d, [link, inside])
        assert red() == 0, red()
        assert min(hidden[0]) > 150 and apart(shown[1], hidden[1]) > 12, (shown, hidden)
        press(d, "j")
        wait(d, 2)
        assert ask(d, "counts()")["joints"] == 15
        assert apart(colours(d, [link])[0], shown[0]) < 3
        ask(d, f"selectJoint({LINK})")
        wait(d, 2)
        r, g, blue = colours(d, [link])[0]
        assert r > 200 and blue < 100, (r, g, blue)
        clean(d)


@check
def a_broken_joint_is_gone_from_its_time_on():
    with chromium() as d:
        open_page(d, page("joints"))
        first = next(k for k in range(COUNT) if moment(k) >= 1.2)
        show(d, first - 1)
        assert ask(d, "counts()")["joints"] == 15
        a, b = ask(d, f"jointPlace({LINK})")
        middle = [screen(d, [(x + y) / 2 for x, y in zip(a, b)])]
        assert max(colours(d, middle)[0]) < 90
        show(d, first)
        assert ask(d, "counts()")["joints"] == 14 and ask(d, f"jointPlace({LINK})") is None
        assert min(colours(d, middle)[0]) > 150
        show(d, 0)
        assert ask(d, "counts()")["joints"] == 15
        clean(d)


@check
def a_joint_is_chosen_in_the_view_or_the_list_and_tells_its_coordinate():
    with chromium() as d:
        open_page(d, page("joints"))
        t = show(d, 30)
        click_at(d, ask(d, f"jointPlace({ELBOW})")[0])
        assert d.find_element(By.ID, "tab-body").get_attribute("aria-selected") == "true"
        facts = dict(zip(texts(d, ".joints th"), texts(d, ".joints td")))
        assert facts["Name"] == "elbow" and facts["Kind"] == "revolute, servo, damper", facts
        assert facts["First body"] == "upper arm" and facts["Second body"] == "forearm", facts
        angle = lambda t: math.degrees(1.25 + 0.4 * math.sin(3.4 * t + 1))  # noqa: E731
        assert abs(float(facts["Angle"].rstrip("°")) - angle(t)) < 0.05, (facts, angle(t))
        t = show(d, 60)
        assert abs(float(texts(d, ".joints td")[4].rstrip("°")) - angle(t)) < 0.05
        length = ask(d, f"coordinates({SPRING})")[0]
        assert length["name"] == "Length" and abs(length["value"] - (1.02 + 0.4 * math.sin(2.2 * t))) < 1e-4, length
        slide = ask(d, "coordinates(4)")[0]
        assert slide["unit"] == "m" and abs(slide["value"] - 0.4 * math.sin(2.2 * t)) < 1e-4, slide
        swing, twist = ask(d, "coordinates(3)")
        assert abs(swing["value"] - abs(math.degrees(0.5 * math.sin(4 * t)))) < 0.05, swing
        assert abs((twist["value"] - math.degrees(1.5 * t) + 180) % 360 - 180) < 0.05, twist
        select = d.find_element(By.CSS_SELECTOR, ".joints select")
        assert len(select.find_elements(By.TAG_NAME, "option")) == 17
        d.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", select, str(BOB))
        wait(d, 2)
        assert texts(d, ".joints td")[:2] == ["bob", "ball"] and "cable, point 39" in texts(d, ".joints td"), texts(d, ".joints td")
        press(d, "\ue00c")  # Escape
        assert not d.find_element(By.CSS_SELECTOR, ".joints .facts").is_displayed()
        # a body is still chosen where no joint is near
        click_at(d, [0.55 + 0.4 * math.sin(2.2 * t) + 0.09, 0.64, 0.1])
        assert d.find_element(By.CSS_SELECTOR, "#panel-body select").get_attribute("value") == str(CARRIAGE)
        clean(d)


@check
def bodies_have_the_colours_of_the_scene():
    with chromium() as d:
        open_page(d, page("joints"))
        press(d, "j")
        d.execute_script("const s = document.getElementById('field'); s.value = ''; s.dispatchEvent(new Event('change'))")
        t = show(d, 30)
        carriage = screen(d, [0.55 + 0.4 * math.sin(2.2 * t) + 0.05, 0.75, 0.21])
        q = [0.9 * math.sin(1.7 * t), 0.35 + 0.3 * math.sin(2.6 * t)]
        arm = screen(d, [-0.6 + 0.35 * math.sin(q[1]) * math.cos(q[0]), 0.35 * math.sin(q[1]) * math.sin(q[0]), 0.4 + 0.35 * math.cos(q[1])])
        plate = screen(d, [0.91, -0.81, 0.75 + 0.12 * 0.25 * math.sin(7 * t)])
        cable = screen(d, [1.1 + 0.25 * (20 / 39) ** 2 * math.sin(4 * t), -0.1 + 0.1 * (20 / 39) * math.sin(3 * t + 2 * 20 / 39), 1.75 - 0.8 * 20 / 39])
        red, orange, green, teal = colours(d, [carriage, arm, plate, cable])
        assert red[0] > 2 * red[1] and red[0] > 2 * red[2] and red[0] > 90, red
        assert orange[0] > orange[1] > 1.5 * orange[2], orange
        assert green[1] > 1.3 * green[0] and green[1] > 1.3 * green[2], green
        assert apart(teal, (0x00, 0x80, 0x7a)) < 12, teal  # lines are not lit
        ask(d, f"select({CARRIAGE})")
        wait(d, 2)
        chosen = colours(d, [carriage])[0]
        assert chosen[1] > 0.6 * chosen[0], chosen
        ask(d, "select(-1)")
        wait(d, 2)
        assert apart(colours(d, [carriage])[0], red) < 3
        # a field is shown in its own colours
        d.execute_script("const s = document.getElementById('field'); s.value = '|displacement|'; s.dispatchEvent(new Event('change'))")
        wait(d, 2)
        assert apart(colours(d, [plate])[0], green) > 30
        clean(d)


@check
def outputs_of_the_scene_come_first():
    with chromium() as d:
        open_page(d, page("joints"))
        titles = d.execute_script("return [...document.querySelectorAll('.plots > *')].map(e => e.querySelector('h3')?.textContent ?? e.textContent)")
        assert titles[:5] == ["Outputs of the scene", "angle of the elbow", "carriage", "The run itself", "energy"], titles
        assert len(titles) == 2 + 11 + 1, titles
        first = d.find_element(By.CSS_SELECTOR, ".plot")
        assert first.find_elements(By.CSS_SELECTOR, ".uplot"), "the first plot is not drawn"
        assert ask(d, "counts()")["plots"] == 11
        open_page(d, page("mixed"))
        assert d.find_elements(By.CSS_SELECTOR, ".plots > h4") == []  # nothing to tell apart
        clean(d)


@check
def bodies_and_joints_are_named():
    with chromium() as d:
        open_page(d, page("joints"))
        assert ask(d, "labels()") == []
        press(d, "n")
        wait(d, 2)
        names = ask(d, "labels()")
        assert {"upper arm", "carriage", "cable", "plate", "weak link"} <= set(names), names
        assert "old" not in names and "" not in names and "parts" not in names, names
        label = [e for e in d.find_elements(By.CSS_SELECTOR, ".labels span") if e.text == "carriage"][0].rect
        x, y = screen(d, [0.55, 0.75, 0.14])
        view = d.find_element(By.CSS_SELECTOR, ".view").rect
        assert abs(label["x"] + label["width"] / 2 - view["x"] - x) < 20 and abs(label["y"] + label["height"] / 2 - view["y"] - y) < 6, (label, x, y)
        press(d, "j")
        wait(d, 2)
        assert "weak link" not in ask(d, "labels()") and "plate" in ask(d, "labels()")
        ask(d, "select(0, 2)")
        member = d.find_element(By.CSS_SELECTOR, ".members")
        assert [o.text for o in member.find_elements(By.TAG_NAME, "option")] == ["turret", "upper arm", "forearm", "tool"]
        assert member.get_attribute("value") == "2"
        d.execute_script("arguments[0].value = '1'; arguments[0].dispatchEvent(new Event('change'))", member)
        wait(d, 1)
        assert texts(d, "#panel-body .facts td")[0] == "upper arm"
        open_page(d, page("links"))
        press(d, "n")
        wait(d, 2)
        many = ask(d, "labels()")
        assert 20 < len(many) <= 100 and sum(n.startswith("link") for n in many) <= 50, len(many)
        ask(d, "select(0, 4000)")
        assert not d.find_element(By.CSS_SELECTOR, ".members").is_displayed()  # too many for a list
        clean(d)


@check
def walls_end_where_they_meet_and_hide_nothing():
    with chromium() as d:
        open_page(d, page("joints"))
        assert ask(d, "counts()")["walls"] == 5
        for i in range(5):
            corners = ask(d, f"wall({i})")
            assert len(corners) == 4, (i, corners)
            for x, y, z in corners:
                assert abs(x) < 1.5001 and abs(y) < 1.1001 and -1e-4 < z < 2.6, (i, corners)
        floor = ask(d, "wall(0)")
        assert all(min(math.dist(c, (x, y, 0)) for c in floor) < 1e-3 for x in (-1.5, 1.5) for y in (-1.1, 1.1)), floor
        # the walls at x = 1.5 and y = -1.1 stand between the camera and the carriage
        press(d, "j")
        press(d, "d")
        wait(d, 2)
        at = [screen(d, [0.6, 0.75, 0.21]), screen(d, [-1.2, 1.1, 1.0])]
        shown = colours(d, at)
        planes = [e for e in d.find_elements(By.CSS_SELECTOR, ".display .check") if e.text == "Planes"][0]
        d.execute_script("arguments[0].click()", planes.find_element(By.TAG_NAME, "input"))
        wait(d, 2)
        assert ask(d, "counts()")["walls"] == 0
        bare = colours(d, at)
        assert apart(shown[0], bare[0]) < 14, (shown, bare)
        assert shown[1] != bare[1], (shown, bare)  # the wall behind the scene is there
        open_page(d, page("mixed"))
        assert ask(d, "counts()")["walls"] == 1 and ask(d, "wall(0)") == []  # a lone floor stays a disc
        clean(d)
