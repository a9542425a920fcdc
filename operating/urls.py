"""Where an operator looks. Included at the root."""

from django.urls import path

from operating import views

app_name = "operating"

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]
