"""Chromium without a screen, driven through a pipe: no driver and no package in between.

The DevTools protocol over ``--remote-debugging-pipe`` is JSON with a zero byte after each message,
on the file descriptors 3 (to the browser) and 4 (from it).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
PATIENCE = 60


def installed():
    """Path of the browser, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page in a browser of its own; use it in a with statement."""

    def __init__(self, profile):
        to_read, self._to_browser = os.pipe()
        self._from_browser, to_write = os.pipe()

        def descriptors():
            # both first out of the way: one of them may be 3 or 4 itself
            source, target = os.dup(to_read), os.dup(to_write)
            os.dup2(source, 3)
            os.dup2(target, 4)

        self._process = subprocess.Popen(
            [installed(), *FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=descriptors,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.complaints = []
        self.requests = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, TimeoutError, EOFError):
            pass
        finally:
            os.close(self._to_browser)
            os.close(self._from_browser)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def call(self, method, **parameters):
        """Send a command and return its result."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to_browser, data) :]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def open(self, path):
        """Load a file and wait until it has settled."""
        self._loaded = False
        self.complaints.clear()
        self.requests.clear()
        self.call("Page.navigate", url=f"file://{path}")
        deadline = time.monotonic() + PATIENCE
        while not self._loaded:
            self._note(self._receive(deadline))
        self.evaluate("1")

    def evaluate(self, expression):
        """Value of an expression in the page."""
        done = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in done:
            raise OSError(done["exceptionDetails"]["exception"]["description"])
        return done["result"].get("value")

    def resize(self, width, height, *, mobile=False):
        """Change the size of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def prefer(self, scheme="light", media=""):
        """Light or dark, screen or print."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key, code=None):
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            codes = {"windowsVirtualKeyCode": code} if code else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **codes)

    def screenshot(self, *, full=False):
        """The page as PNG."""
        options = {"captureBeyondViewport": True} if full else {}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {**size, "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])

    def pdf(self):
        """The page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from_browser], [], [], deadline - time.monotonic())
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._from_browser, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(what["exceptionDetails"]["exception"].get("description"))
        elif method == "Runtime.consoleAPICalled" and what["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.complaints.append(str(what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(what["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {what['message']}")
            self._dismiss()

    def _dismiss(self):
        self._number += 1
        message = {
            "id": self._number,
            "method": "Page.handleJavaScriptDialog",
            "params": {"accept": False},
            "sessionId": self._session,
        }
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
