from django.db import migrations


LABEL_COUNT = """
-- The same for a label, in any case (contract 8.3). An index has the keys of all facets but words.
CREATE OR REPLACE FUNCTION search_label_count(of text, counted text, label text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(sum(entries), 0) FROM (
            SELECT entries FROM search_facetcount
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
                AND facet NOT IN ('word', 'implied', 'spelling')
            UNION ALL
            SELECT entries FROM search_facetcountdelta
            WHERE kind = of AND facet = counted AND lower(value COLLATE "default") = lower(label)
        ) AS found
    );
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('search', '0002_facet_count_key'),
    ]

    operations = [
        migrations.RunSQL(LABEL_COUNT, migrations.RunSQL.noop),
    ]
