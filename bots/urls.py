"""The computer tables. Included under any prefix, in the namespace ``bots``."""

from django.urls import path

from bots import views

app_name = "bots"

urlpatterns = [
    path("<slug:key>/", views.table, name="table"),
    path("<slug:key>/lesson/", views.lesson, name="lesson"),
    path("<slug:key>/start/", views.start, name="start"),
    path("<slug:key>/step/", views.step, name="step"),
]
