from cron import create_job, list_jobs  # noqa: F401
