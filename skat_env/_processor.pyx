"""The processor that the extensions were compiled for. This module runs on any; importing it checks this one."""

cdef extern from *:
    """
    #if defined(__x86_64__)
    static int skat_env_level(void)
    {
        __builtin_cpu_init();
        if (!(__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))) return 1;
        if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))) return 2;
        return __builtin_cpu_supports("fma") ? 3 : 2;
    }
    #else
    static int skat_env_level(void) { return 0; }
    #endif
    """
    int level "skat_env_level"() noexcept
    const char* COMPILED_FOR "SKAT_ENV_MARCH"
    const char* COMPILED_FROM "SKAT_ENV_SOURCES"

MARCH = COMPILED_FOR.decode()
SOURCES = COMPILED_FROM.decode()
LEVELS = {"x86-64-v2": 2, "x86-64-v3": 3}


def require(march: str = MARCH) -> None:
    """Checks that this processor has the level of x86-64 that `march` needs; other values of -march are not checked.

    Raises:
        ImportError: if it lacks that level.
    """
    if level() < LEVELS.get(march, 0):
        raise ImportError(
            f"skat_env was compiled for {march}, which this processor lacks (it has x86-64-v{level()}): "
            "install it on this machine from source, or compile it with SKAT_ENV_MARCH=x86-64"
        )


require()
