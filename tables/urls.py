"""Shared tables. Included under any prefix that names no language; the namespace ``tables``."""

from django.urls import path

from tables import reporting, views

app_name = "tables"

urlpatterns = [
    path("tables/new/<slug:key>/", views.new, name="new"),
    path("tables/<slug:code>/", views.table, name="table"),
    path("tables/<slug:code>/leave/", views.leave, name="leave"),
    path("tables/<slug:code>/left/<slug:outcome>/", views.left, name="left"),
    path("tables/<slug:code>/seats/<int:index>/qr.svg", views.qr, name="qr"),
    path("tables/<slug:code>/seats/<int:index>/renew/", views.renew, name="renew"),
    path("tables/<slug:code>/seats/<int:index>/return.svg", views.return_qr, name="return-qr"),
    path("tables/<slug:code>/report/", reporting.report, name="report"),
    path("privacy/", reporting.privacy, name="privacy"),
    path("returns/<slug:code>/<int:index>/<str:signature>/", views.come_back, name="return"),
    path("invites/<slug:code>/<int:index>/<str:signature>/", views.invite, name="invite"),
]
