"""The computer tables. Included under any prefix, in the namespace ``bots``."""

from django.urls import path
from django.views.decorators.gzip import gzip_page

from bots import views

app_name = "bots"

# No secret is in these pages, so they may be sent compressed.
urlpatterns = [
    path("<slug:key>/", gzip_page(views.table), name="table"),
    path("<slug:key>/lesson/", gzip_page(views.lesson), name="lesson"),
    path("<slug:key>/start/", views.start, name="start"),
    path("<slug:key>/step/", views.step, name="step"),
]
