from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0004_person"),
    ]

    operations = [
        migrations.AddField(
            model_name="table",
            name="language",
            field=models.CharField(blank=True, default="", max_length=16),
        ),
    ]
