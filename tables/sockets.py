"""The addresses of the tables' sockets, for a site's `URLRouter`.

Under the same prefix as the pages: a page finds its socket below its own address. `nowhere` belongs
at the end of a site's list, or the router logs every address that is not in it, invites among them.
"""

from django.urls import path, re_path

from tables.consumers import Nowhere, TableConsumer

urlpatterns = [
    path("tables/<slug:code>/socket/", TableConsumer.as_asgi(), name="table-socket"),
]
nowhere = [re_path(r"", Nowhere.as_asgi())]
