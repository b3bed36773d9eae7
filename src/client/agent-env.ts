/** Enough to find programs and speak the user's language; no key, no token, nothing else of ours. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** What an agent sees of our environment. */
export function agentEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), TERM: 'dumb', NO_COLOR: '1' };
}
