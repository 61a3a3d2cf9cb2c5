from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0002_desk")]

    operations = [
        # Counts live for a window: beginning anew is simpler than rewriting them.
        migrations.DeleteModel("RateCount"),
        migrations.CreateModel(
            name="RateCount",
            fields=[
                ("key", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("count", models.IntegerField()),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        # Counts are written with every counted request and worth nothing after an hour: no log.
        migrations.RunSQL(
            "ALTER TABLE marketplace_ratecount SET UNLOGGED, SET (fillfactor = 50)",
            "ALTER TABLE marketplace_ratecount SET LOGGED, RESET (fillfactor)",
        ),
    ]
