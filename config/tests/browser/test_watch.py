"""The browser, the real server and the watch over pages work together."""

PAGE = """<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,">
<script>document.title = "inline script ran"</script><script src="/throws.js"></script></html>"""


def test_the_watch_sees_policy_refusals_and_exceptions(page, server, watch):
    answer = page.request.get("/words.js")
    assert answer.ok
    policy = answer.headers["content-security-policy"]
    page.route(
        "**/scaffold/",
        lambda route: route.fulfill(
            body=PAGE,
            headers={"Content-Type": "text/html", "Content-Security-Policy": policy},
        ),
    )
    page.route(
        "**/throws.js",
        lambda route: route.fulfill(
            body="throw new Error('thrown on purpose')", content_type="text/javascript"
        ),
    )
    page.goto("/scaffold/")
    assert page.title() == "x"
    assert any("Content Security Policy" in complaint for complaint in watch.unexpected())
    assert any("thrown on purpose" in complaint for complaint in watch.unexpected())
    watch.expect("Content Security Policy")
    watch.expect("thrown on purpose")


def test_each_person_has_a_browser_of_their_own(new_person, server):
    first, second = new_person(), new_person()
    first.add_cookies([{"name": "mine", "value": "1", "url": server.url}])
    assert not second.cookies()
