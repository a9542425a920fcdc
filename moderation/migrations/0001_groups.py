"""The groups Moderator and Observer, with exactly their permissions."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

OBSERVER = ["view_table", "view_report", "view_ban"]
MODERATOR = [*OBSERVER, "moderate_table", "change_report", "change_ban"]


def make(apps, schema_editor):
    using = schema_editor.connection.alias
    # Django makes permissions only after the last migration.
    create_permissions(
        installed.get_app_config("tables"), verbosity=0, using=using, apps=apps, interactive=False
    )
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    for name, codes in {"Moderator": MODERATOR, "Observer": OBSERVER}.items():
        group, _ = apps.get_model("auth", "Group").objects.using(using).get_or_create(name=name)
        group.permissions.set(
            permissions.get(content_type__app_label="tables", codename=code) for code in codes
        )


def unmake(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    groups.filter(name__in=["Moderator", "Observer"]).delete()


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("tables", "0002_moderation"),
    ]

    operations = [migrations.RunPython(make, unmake)]
