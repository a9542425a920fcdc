import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0005_table_language"),
    ]

    operations = [
        migrations.AlterField(
            model_name="line",
            name="created",
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
    ]
