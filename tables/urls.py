"""Shared tables. Included under any prefix that names no language; the namespace ``tables``."""

from django.urls import path

from tables import record_views, reporting, views

app_name = "tables"

urlpatterns = [
    path("tables/new/<slug:key>/", views.new, name="new"),
    path("join/", views.join, name="join"),
    path("tables/<slug:code>/", views.table, name="table"),
    path("tables/<slug:code>/leave/", views.leave, name="leave"),
    path("tables/<slug:code>/left/<slug:outcome>/", views.left, name="left"),
    path("tables/<slug:code>/seats/<int:index>/qr.svg", views.qr, name="qr"),
    path("tables/<slug:code>/seats/<int:index>/renew/", views.renew, name="renew"),
    path("tables/<slug:code>/seats/<int:index>/return.svg", views.return_qr, name="return-qr"),
    path("tables/<slug:code>/records/<int:number>/", record_views.seat, name="record"),
    path("records/", record_views.watch, name="watch"),
    path("records/frames/", record_views.frames, name="frames"),
    path("records/<int:match>/<str:signature>/", record_views.shared, name="shared-record"),
    path(
        "records/<int:match>/<str:signature>/match.json",
        record_views.file,
        name="record-file",
    ),
    path("tables/<slug:code>/report/", reporting.report, name="report"),
    path("privacy/", reporting.privacy, name="privacy"),
    path("returns/<slug:code>/<int:index>/<str:signature>/", views.come_back, name="return"),
    path("invites/<slug:code>/<int:index>/<str:signature>/", views.invite, name="invite"),
]
