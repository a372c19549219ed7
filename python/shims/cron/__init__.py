"""Jobs of the program."""
from talaria_host import link


def create_job(prompt=None, schedule=None, **options):
    return link.ask("cron.create", prompt=prompt, schedule=schedule, options=options)


def list_jobs(**_):
    return link.ask("cron.list") or []
