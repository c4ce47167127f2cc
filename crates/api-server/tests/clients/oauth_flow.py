"""OAuth for both generations of the Python client: their own code does everything but the owner's browser."""

import urllib.parse
import urllib.request

import anyio
from mcp.shared.auth import OAuthClientMetadata

CALLBACK = "http://127.0.0.1:4711/callback"


class Storage:
    """Holds the client's tokens and registration while it runs."""

    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def provider(kind, url, oauth, answer):
    """A provider of the client's own `kind`; `answer` converts the parameters of the redirect for it."""
    back = {}

    async def open_browser(address):
        url = f"{oauth['browser']}?url={urllib.parse.quote(address, safe='')}"
        redirect = await anyio.to_thread.run_sync(lambda: urllib.request.urlopen(url).read().decode())
        back.update(urllib.parse.parse_qsl(urllib.parse.urlsplit(redirect).query))

    async def come_back():
        return answer(back)

    metadata = OAuthClientMetadata(
        client_name=oauth["name"],
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
        scope=oauth.get("scope"),
    )
    return kind(url, metadata, Storage(), redirect_handler=open_browser, callback_handler=come_back)
