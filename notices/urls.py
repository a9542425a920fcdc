"""Pictures of notices. Included under any prefix, in the namespace ``notices``."""

from django.urls import path

from notices import views

app_name = "notices"

urlpatterns = [path("notices/<int:pk>/<slug:name>", views.picture, name="picture")]
