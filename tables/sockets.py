"""The addresses of the tables' sockets, for a site's `URLRouter`.

Under the same prefix as the pages: a page finds its socket below its own address.
"""

from django.urls import path

from tables.consumers import TableConsumer

urlpatterns = [path("tables/<slug:code>/socket/", TableConsumer.as_asgi(), name="table-socket")]
