-- CreateTable
CREATE TABLE "live_follower" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_follower_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- Commits that notify wait for each other, so only those do of which somebody wants to know. The row of a follower may
-- have been committed after this transaction began: the statement sees what has been committed by now.
CREATE OR REPLACE FUNCTION "live_event_notify"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('live_event', jsonb_build_array(tenant_id, environment)::text)
    FROM (SELECT DISTINCT tenant_id, environment FROM added) AS tenancies
    WHERE EXISTS (
        SELECT FROM live_follower f
        WHERE f.tenant_id = tenancies.tenant_id AND f.environment = tenancies.environment
            AND f.expires_at > clock_timestamp()
    );
    RETURN NULL;
END $$;
