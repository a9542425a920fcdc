"""The addresses of the tables' sockets, for a site's `URLRouter`.

Under the same prefix as the pages: a page finds its socket below its own address. `nowhere` belongs
at the end of a site's list, or the router logs every address that is not in it, invites among them.
"""

from typing import Any

from django.urls import path, re_path

from tables import consumers

# Django's addresses are typed for views; these lead to ASGI applications.
table: Any = consumers.TableConsumer.serve
nobody: Any = consumers.nowhere

urlpatterns = [path("tables/<slug:code>/socket/", table, name="table-socket")]
nowhere = [re_path(r"", nobody)]
