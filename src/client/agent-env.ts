/** Enough to find programs and to use the user's language and time zone. No keys and no tokens. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** The part of this process's environment that an agent gets. */
export function agentEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), TERM: 'dumb', NO_COLOR: '1' };
}

/** For our own tests: scripted agents work in the project itself, so that a run needs no copy. */
export function isScriptedInProject(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['SUPERVISOR_SCRIPTED_IN_PROJECT'] === '1';
}
