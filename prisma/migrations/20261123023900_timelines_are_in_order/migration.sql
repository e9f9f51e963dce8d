-- No event of a timeline is earlier than the one before it: processes whose clocks differed have written some that are.
UPDATE "timeline_event" t SET "at" = o.latest
FROM (
    SELECT tenant_id, environment, id, max("at") OVER (
        PARTITION BY tenant_id, environment, execution_id ORDER BY sequence
    ) AS latest
    FROM "timeline_event"
) o
WHERE (t.tenant_id, t.environment, t.id) = (o.tenant_id, o.environment, o.id) AND t."at" < o.latest;
