import asyncio


def safe_schedule_threadsafe(coroutine, loop, **_):
    """A future, or None where the loop is over; the coroutine is then closed."""
    try:
        return asyncio.run_coroutine_threadsafe(coroutine, loop)
    except (RuntimeError, AttributeError):
        coroutine.close()
        return None
