"""The lab's server without a browser: what it serves, and everything hostile that was tried.

The list: other hosts and origins, wrong methods and content types, paths that climb, broken, deep,
huge and non-finite JSON, a million points, slow, truncated and malformed bodies, names of classes
that are code, and whatever JSON hypothesis thinks of. Hostile files are in test_lab_mydata.py,
hostile names on a page in the browser tests.
"""

from __future__ import annotations

import ast
import gzip
import json
import socket
import threading
import time
from urllib.parse import urlsplit

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, assume, given, settings
from starlette.testclient import TestClient

from rosenblatt.lab.experiment import compute
from rosenblatt.lab.web import connections, limits, server
from rosenblatt.lab.web.assets import assets
from rosenblatt.lab.web.server import make_app

EXPERIMENT = {"points": [[1, 1, 1], [-1, -1, 0], [2, 0, 1]], "want": ["points", "run"]}


@pytest.fixture(scope="module", autouse=True)
def patience():
    """Machines that test are busy, and machine code may have to be compiled first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "COMPUTE_SECONDS", 600.0)
        patch.setattr(server, "GIF_SECONDS", 600.0)
        yield


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(), base_url="http://localhost", raise_server_exceptions=False) as made:
        yield made


def refused(response, status):
    """The sentence of a refusal."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    sentence = response.json()["error"]
    assert sentence
    assert "Traceback" not in sentence
    return sentence


def post(client, content, kind="application/json", path="/api/experiment", **headers):
    return client.post(path, content=content, headers={"content-type": kind, **headers})


# --- what it serves --------------------------------------------------------------------------


def test_an_experiment_is_computed_by_the_library(client):
    response = client.post("/api/experiment", json=EXPERIMENT)
    assert response.status_code == 200
    assert response.json() == json.loads(json.dumps(compute(EXPERIMENT)))


def test_presets_are_listed(client):
    assert len(client.get("/api/presets").json()) > 5


def test_a_gif_is_drawn(client):
    response = client.post("/api/gif", json={"points": EXPERIMENT["points"]})
    assert response.headers["content-type"] == "image/gif"
    assert response.content.startswith(b"GIF8")


@pytest.mark.parametrize("path", ["/", "/mydata", "/lab.css", "/js/mount.js", "/mydata/main.js"])
def test_files_are_served_compressed_and_not_twice(client, path):
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-encoding"] == "gzip"
    again = client.get(path, headers={"if-none-match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = client.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == response.content


def test_browsers_that_ask_for_an_icon_by_habit_get_it(client):
    """Beside what names none, such as a picture opened alone."""
    response = client.get("/favicon.ico")
    assert response.status_code == 200
    assert response.headers["content-type"] == "image/svg+xml"
    assert response.content == client.get("/icon.svg").content


def test_every_file_of_the_page_is_in_the_table():
    kinds = {path: asset.kind for path, asset in assets().items()}
    assert kinds["index.html"].startswith("text/html")
    assert kinds["js/mount.js"].startswith("text/javascript")
    assert not any(path.endswith((".py", ".pyc")) for path in kinds)


def test_what_is_large_is_compressed(client):
    points = [[x, -x, x % 2] for x in range(60)]
    response = client.post("/api/experiment", json={"points": points})
    assert response.headers["content-encoding"] == "gzip"
    identity = {"accept-encoding": "identity"}
    plain = client.post("/api/experiment", json={"points": points}, headers=identity)
    assert "content-encoding" not in plain.headers
    assert len(gzip.compress(plain.content)) < len(plain.content)


def test_every_answer_carries_the_headers_and_no_cookie(client):
    answers = [
        client.get("/"),
        client.get("/no/such/page"),
        client.put("/api/experiment"),
        client.post("/api/experiment", json={"points": "?"}),
        client.get("/", headers={"host": "evil.example"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 405, 422, 403]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers


def test_a_bug_is_an_answer_too_and_says_nothing_of_the_inside(client, monkeypatch):
    def broken(*_):
        raise RuntimeError("/secret/path")

    monkeypatch.setattr("rosenblatt.lab.experiment.compute", broken)
    sentence = refused(client.post("/api/experiment", json=EXPERIMENT), 500)
    assert sentence == "internal error: RuntimeError"


# --- hosts and origins -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""),
        *("localhost@evil.example", "evil.example:80", "0.0.0.0", "[::2]", "2130706433"),
    ],
)
def test_another_host_is_refused(client, host):
    refused(client.get("/", headers={"host": host}), 403)
    refused(client.post("/api/experiment", json=EXPERIMENT, headers={"host": host}), 403)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1958", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:1958"]
)
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "http://localhost:9999", "http://localhost.evil.example"),
        *("file://", "http://evil.example/http://localhost", ""),
    ],
)
def test_requests_of_other_pages_are_refused(client, origin):
    headers = {"origin": origin}
    assert "other pages" in refused(
        client.post("/api/experiment", json=EXPERIMENT, headers=headers), 403
    )
    refused(client.post("/api/data/columns", content=b"a,b", headers=headers), 403)


def test_requests_of_the_page_itself_are_answered(client):
    headers = {"origin": "http://localhost"}
    assert client.post("/api/experiment", json=EXPERIMENT, headers=headers).status_code == 200


def test_bound_to_a_name_it_answers_to_that_name():
    asked = {"host": "lab.example:1958"}
    assert TestClient(make_app("lab.example")).get("/", headers=asked).status_code == 200
    assert TestClient(make_app()).get("/", headers=asked).status_code == 403


def test_bound_to_every_address_it_answers_to_addresses_but_not_to_names():
    client = TestClient(make_app("0.0.0.0"))
    assert client.get("/", headers={"host": "192.0.2.7:1958"}).status_code == 200
    assert client.get("/", headers={"host": "[2001:db8::1]"}).status_code == 200
    assert client.get("/", headers={"host": socket.gethostname()}).status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403


# --- methods, kinds, paths -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client, method):
    refused(client.request(method, "/api/experiment"), 405)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"]
)
def test_another_kind_of_content_is_refused(client, kind):
    assert "application/json" in refused(post(client, json.dumps(EXPERIMENT), kind), 415)


@pytest.mark.parametrize(
    "path",
    [
        *("/../server.py", "/..%2f..%2fserver.py", "/%2e%2e/%2e%2e/server.py", "//etc/passwd"),
        *("/js/../../server.py", "/js/..%5c..%5cserver.py", "/etc/passwd", "/index.html%00.js"),
        *("/js", "/js/", "/.git/config", "/~root", "/C:/windows", "/static/index.html", "/%ff"),
        "/" + "a/" * 5000,
    ],
)
def test_no_path_leads_to_a_file_that_is_not_the_pages(client, path):
    refused(client.get(path), 404)


# --- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b'{"points": [[\xc3\x28]]}', 400, "not JSON"),
        (b"[]", 400, "object"),
        (b"3", 400, "object"),
        (b"null", 400, "object"),
        (b'{"points": [[NaN, 0, 0]]}', 400, "finite"),
        (b'{"points": [[Infinity, 0, 0]]}', 400, "finite"),
        (b'{"points": [[-Infinity, 0, 0]]}', 400, "finite"),
        (b'{"points": [[1e999, 0, 0]]}', 400, "finite"),
        (b'{"points": [[' + b"9" * 5000 + b", 0, 0]]}", 400, "not JSON"),
        (b'{"points": [[' + b"9" * 400 + b", 0, 0]]}", 422, ""),
        (b'{"a":' * 20 + b"1" + b"}" * 20, 400, "deep"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 400, "deep"),
        (b"[" * 500_000, 400, "deep"),
        (b'{"points": [' + b",".join([b"[0,0,0]"] * 20_000) + b"]}", 413, "values"),
        (b'{"points": [' + b",".join([b"[0,0,0]"] * 1_000) + b"]}", 422, "points"),
        (b'{"name": "' + b"x" * limits.JSON_BYTES + b'"}', 413, "bytes"),
        (b'{"points": [' + b",".join([b"[0,0,0]"] * 1_000_000) + b"]}", 413, "bytes"),
        (b'{"points": {"length": 1e9}}', 422, ""),
        (b'{"points": [[0, 0, 1000000000]]}', 422, ""),
        (b'{"points": [], "at": -1}', 422, ""),
        (b'{"points": [], "settings": {"max_passes": 1e300}}', 422, ""),
        (b'{"points": [], "classes": ["a", "a"]}', 422, ""),
        (b'{"random": {"n": 1000000000, "margin": 0.1, "seed": 0}}', 422, ""),
        (b'{"points": [], "__class__": "os.system"}', 422, ""),
        (b'{"points": [], "points": "x"}', 422, "list"),
        (b'{"\\ud800": 1}', 422, "has no"),
        (b'{"want": ["\\ud800"]}', 422, "no part"),
        (b'{"at": ' + b"9" * 4000 + b"}", 422, "whole number"),
        (b'{"points": [[1e-320, -0.0, 0]]}', 422, "1e-100"),
        (b'{"points": [[true, 0, 0]]}', 422, "number"),
        (b'{"points": [[0, 0, 1.0]]}', 422, "whole number"),
        (b'{"settings": [["eta", 1]]}', 422, "object"),
        (gzip.compress(b'{"points": []}', mtime=0), 400, "not JSON"),
    ],
)
def test_hostile_json_is_refused_with_a_sentence(client, content, status, words):
    assert words in refused(post(client, content), status)


def test_a_million_points_are_refused_before_they_are_sent_whole(client):
    """The announced length is enough."""
    headers = {"content-length": str(10**12)}
    refused(post(client, b"{}", **headers), 413)


def test_json_in_other_encodings_of_unicode_is_read(client):
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        content = json.dumps(EXPERIMENT).encode(encoding)
        assert post(client, content).json()["points"] == [[*p, 0] for p in EXPERIMENT["points"]]


@given(st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=3, unique=True))
def test_no_name_of_a_class_is_code(names):
    """The script to copy holds the names as text, whatever they are."""
    assume(not any("\ud800" <= letter <= "\udfff" for name in names for letter in name))
    points = [[k, 1, k] for k in range(len(names))]
    text = compute({"classes": names, "points": points, "want": ["python"]})["python"]
    tree = ast.parse(text)
    values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    assert ast.literal_eval(values["y"]) == names
    assert [type(node) for node in tree.body] == [
        *(ast.Import, ast.Assign, ast.Assign, ast.Assign, ast.Expr, ast.Expr)
    ]


@pytest.mark.parametrize(
    ("offered", "compressed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("gzip;q=0, identity", False),
        ("gzip;q=0.000", False),
        ("xgzip", False),
        ("", False),
    ],
)
def test_only_who_wants_it_gets_it_compressed(client, offered, compressed):
    response = client.get("/lab.css", headers={"accept-encoding": offered})
    assert ("content-encoding" in response.headers) == compressed


def test_a_class_named_script_is_text(client):
    name = "<script>alert(1)</script>"
    experiment = {"classes": ["a", name[:40]], "points": EXPERIMENT["points"]}
    response = client.post("/api/experiment", json=experiment)
    assert response.headers["content-type"] == "application/json"
    assert response.status_code == 200


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
NAMES = ("points", "classes", "settings", "at", "want", "random")


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_gets_an_answer_or_a_sentence(client, experiment):
    response = client.post("/api/experiment", json=experiment)
    if response.status_code != 200:
        assert 400 <= response.status_code < 500, (experiment, response.text)
        assert response.json()["error"]


# --- time ------------------------------------------------------------------------------------


def speak(lab, text, wait=10.0):
    """What a running lab answers to these bytes."""
    place = urlsplit(lab)
    with socket.create_connection((place.hostname, place.port), timeout=wait) as line:
        line.sendall(text.replace("HOST", place.netloc).encode())
        answer = b""
        while part := line.recv(65536):
            answer += part
        return answer.decode()


def test_a_slow_body_is_not_waited_for(lab, monkeypatch):
    monkeypatch.setattr(limits, "JSON_SECONDS", 0.2)
    head = "POST /api/experiment HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
    answer = speak(lab, f'{head}Content-Length: 100\r\n\r\n{{"points":')
    assert answer.startswith("HTTP/1.1 408")
    assert "within 0.2 seconds" in answer


def test_half_a_header_is_not_waited_for(lab, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.3)
    assert speak(lab, "GET / HTTP/1.1\r\nHost: HOST\r\nX-Slow: ").startswith("HTTP/1.1 408")
    # Who says nothing at all is told nothing.
    assert speak(lab, "") == ""
    # Nor is half of a second header waited for, after an answer.
    place = urlsplit(lab)
    with socket.create_connection((place.hostname, place.port), timeout=10) as line:
        line.sendall(f"GET /icon.svg HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 200")
        line.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: loc")
        answer = b""
        while part := line.recv(65536):
            answer += part
        assert b"HTTP/1.1 408" in answer


def test_many_half_headers_keep_nobody_out_for_long(lab, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1.0)
    place = urlsplit(lab)
    lines = []
    for _ in range(200):
        line = socket.create_connection((place.hostname, place.port), timeout=10)
        line.sendall(b"GET / HT")
        lines.append(line)
    for line in lines:
        assert line.recv(65536).startswith(b"HTTP/1.1 408")
        line.close()


def test_a_header_in_two_parts_is_read(lab):
    place = urlsplit(lab)
    with socket.create_connection((place.hostname, place.port), timeout=10) as line:
        line.sendall(b"GET /icon.svg HT")
        time.sleep(0.1)
        line.sendall(f"TP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_truncated_body_harms_nobody(lab):
    place = urlsplit(lab)
    head = (
        f"POST /api/experiment HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json"
    )
    with socket.create_connection((place.hostname, place.port)) as line:
        line.sendall(f'{head}\r\nContent-Length: 1000\r\n\r\n{{"poi'.encode())
    assert speak(lab, "GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n").startswith(
        "HTTP/1.1 200"
    )


@pytest.mark.parametrize(
    "text",
    [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost.\r\nConnection: close\r\n\r\n",
        "POST /api/experiment HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
        "Content-Length: -5\r\nConnection: close\r\n\r\n{}",
        "POST /api/experiment HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    ],
    ids=["no host", "two hosts", "evil", "nonsense", "dot", "length", "chunk"],
)
def test_a_malformed_request_gets_a_refusal(lab, text):
    assert speak(lab, text).split()[1][0] == "4"


def test_a_computation_that_takes_too_long_is_given_up(client, monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(server, "COMPUTE_SECONDS", 0.2)
    monkeypatch.setattr("rosenblatt.lab.experiment.compute", lambda _: release.wait(10))
    assert "0.2 seconds" in refused(client.post("/api/experiment", json=EXPERIMENT), 503)
    release.set()


def test_only_a_few_wait_for_a_gif(client, monkeypatch):
    monkeypatch.setattr(server, "DRAWING", 0)
    assert "drawing" in refused(client.post("/api/gif", json=EXPERIMENT), 503)
    monkeypatch.setattr(server, "DRAWING", 1)
    for _ in range(2):
        assert client.post("/api/gif", json={"points": EXPERIMENT["points"]}).status_code == 200
        refused(client.post("/api/gif", json={"points": []}), 422)


def test_too_many_at_once_are_turned_away(client, monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(server, "WAITING", 1)
    monkeypatch.setattr("rosenblatt.lab.experiment.compute", lambda _: release.wait(10) or {})
    first = threading.Thread(
        target=client.post, args=("/api/experiment",), kwargs={"json": EXPERIMENT}
    )
    first.start()
    time.sleep(0.3)
    assert "busy" in refused(client.post("/api/experiment", json=EXPERIMENT), 503)
    release.set()
    first.join()
