"""The addresses of the tables' sockets, for a site's `URLRouter`."""

from django.urls import path

from tables.consumers import TableConsumer

urlpatterns = [path("ws/tables/<slug:code>/", TableConsumer.as_asgi(), name="table-socket")]
