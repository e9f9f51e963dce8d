-- CreateTable
CREATE TABLE "metrics_exporter" (
    "environment" TEXT NOT NULL,
    "process" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metrics_exporter_pkey" PRIMARY KEY ("environment")
);

-- CreateTable
CREATE TABLE "reported_deaths" (
    "environment" TEXT NOT NULL,
    "until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "reported_deaths_pkey" PRIMARY KEY ("environment")
);
