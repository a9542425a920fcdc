"""Leave to use the relay, asked of a real coturn."""

import re
import shutil
import ssl
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.utils import timezone
from pytest_django import Settings

from tables import ice
from tables.tests import services

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def coturn() -> Iterator[services.Coturn]:
    with services.coturn() as service:
        yield service


def test_coturn_takes_a_name_as_long_as_it_is_good(
    coturn: services.Coturn, settings: Settings
) -> None:
    settings.TABLES_TURN_SECRET = coturn.secret
    now = int(time.time())
    assert coturn.takes(*ice.credentials("a", now + 600))
    assert not coturn.takes(*ice.credentials("a", now - 600))
    name, password = ice.credentials("a", now + 600)
    assert not coturn.takes(name.replace(":a", ":b"), password)
    settings.TABLES_TURN_SECRET = "another secret"
    assert not coturn.takes(*ice.credentials("a", now + 600))


def certify(folder: Path) -> None:
    """Put a certificate of a day and its key into a folder, as deploy/coturn/renewed does."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "turn.example.org")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(timezone.now())
        .not_valid_after(timezone.now() + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(made.public_bytes(pem))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


class Deployed(services.Coturn):
    """coturn by the file of deploy/, with other ports, certificate and secret, and a log to read.
    ``own``: whether it may lead to this machine itself, which the file forbids."""

    def __init__(self, folder: Path, own: bool) -> None:
        super().__init__(folder)
        self.secret = "shared"
        self.tls_port = services.free_port()
        text = (services.ROOT / "deploy" / "coturn" / "turnserver.conf").read_text()
        for of, to in (
            (r"^listening-port=.*", f"listening-port={self.port}"),
            (r"^tls-listening-port=.*", f"tls-listening-port={self.tls_port}"),
            (r"^(cert|pkey)=/etc/coturn/", rf"\1={folder}/"),
            (r"^static-auth-secret=.*", f"static-auth-secret={self.secret}"),
            (r"^no-stdout-log$", "log-file=stdout"),
            (r"^log-file=/dev/null$", "listening-ip=127.0.0.1\nrelay-ip=127.0.0.1"),
            *([(r"^denied-peer-ip=127.*", "allow-loopback-peers")] if own else []),
        ):
            text, count = re.subn(of, to, text, flags=re.MULTILINE)
            assert count, of
        (folder / "turnserver.conf").write_text(text)
        certify(folder)

    def command(self) -> list[str]:
        program = shutil.which("turnserver")
        assert program, "turnserver is missing: run tools/system_packages.sh"
        files = ["--pidfile", str(self.folder / "pid"), "--db", str(self.folder / "db")]
        return [program, "-c", str(self.folder / "turnserver.conf"), *files]


def test_the_file_that_is_deployed(tmp_path: Path, settings: Settings) -> None:
    """It is understood, takes the site's names, by TLS too, and does not lead into its own net."""
    for own in (True, False):
        folder = tmp_path / str(own)
        folder.mkdir()
        with services.running(Deployed(folder, own)) as coturn:
            settings.TABLES_TURN_SECRET = coturn.secret
            name = ice.credentials("a", int(time.time()) + 600)
            assert coturn.takes(*name) == own
            shown = ssl.get_server_certificate(("127.0.0.1", coturn.tls_port), timeout=10)
            assert shown.strip() == (folder / "fullchain.pem").read_text().strip()
            log = coturn.log.read_text()
            assert not re.search("bad configuration|unknown|unrecognized|cannot", log, re.I), log
