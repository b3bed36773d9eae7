/** Build tools with verbs: most only check or build the work, some start a program of it. */
import { isRecord } from '../../base/json.ts';
import { parseToml, tableAt } from '../../toml/read-toml.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { upwards } from './followed.ts';
import type { Followers } from './follow-wrapped.ts';

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The verbs that start no program of the work. Any other verb leaves a gate unprotected. */
const VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['go', names('test vet build fmt mod list version env install clean doc work fix telemetry bug')],
  [
    'cargo',
    names(`
      test t check c build b clippy fmt doc d bench nextest llvm-cov tarpaulin audit deny hack machete udeps
      metadata tree fetch clean update version fix insta mutants vet semver-checks outdated rustc rustdoc
      generate-lockfile verify-project vendor login search info
    `),
  ],
  [
    'dotnet',
    names(
      'test build restore format clean publish pack list nuget sln add remove --version --info',
    ),
  ],
  ['swift', names('test build format package')],
  ['dart', names('test analyze format compile pub fix doc info')],
  ['flutter', names('test analyze build pub doctor gen-l10n clean')],
]);

export function isBuildTool(name: string): boolean {
  return VERBS.has(name) || name === 'mix';
}

export function followBuild(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  if (name === 'cargo') followCargoSettings(trail, where, followers);
  if (name === 'go')
    for (const [index, arg] of args.entries()) {
      const [flag = '', value] = arg.split(/=(.*)/s);
      if (/^--?(?:exec|toolexec|vettool)$/.test(flag))
        followers.followLine(trail, value ?? args[index + 1] ?? '', where);
    }
  const [verb = '', ...rest] = args.filter((arg) => !/^[-+]/.test(arg));
  if (name === 'mix') followMix(trail, verb, where, followers);
  else if (verb === '' || VERBS.get(name)?.has(verb) === true) {
    // `swift package plugin`, `flutter pub run`
    if (/^(?:package|pub)$/.test(verb) && /^(?:plugin|run|global)$/.test(rest[0] ?? ''))
      addWorkExecution(trail, name);
  } else if (!(name === 'cargo' && followAlias(trail, verb, rest, where, followers))) {
    addWorkExecution(trail, `${name} ${verb}`);
  }
}

function addWorkExecution(trail: Trail, name: string): void {
  trail.addNotFollowed(`it may build and run a program of the work with ${name}`);
}

const CARGO_FILES = ['.cargo/config.toml', '.cargo/config'];
const CARGO_PROGRAMS = /^(?:runner|rustc-wrapper|rustc-workspace-wrapper|rustc|rustdoc|linker)$/;

/** A runner, a wrapper of the compiler or a linker can be any program. */
function followCargoSettings(trail: Trail, where: FollowPosition, followers: Followers): void {
  for (const { path, table } of cargoSettings(trail, where)) {
    const starts = (value: unknown, key: string): void => {
      if (isRecord(value)) for (const [one, inner] of Object.entries(value)) starts(inner, one);
      else if (!CARGO_PROGRAMS.test(key)) return;
      else if (typeof value === 'string') followers.followLine(trail, value, where);
      else if (Array.isArray(value)) followers.follow(trail, value.map(String), where);
    };
    if (trail.markVisited(`cargo ${path}`)) starts(table, '');
  }
}

function followAlias(
  trail: Trail,
  verb: string,
  rest: readonly string[],
  where: FollowPosition,
  followers: Followers,
): boolean {
  let isFound = false;
  for (const { table } of cargoSettings(trail, where)) {
    const aliases = tableAt(table, 'alias');
    const alias = Object.hasOwn(aliases, verb) ? aliases[verb] : undefined;
    if (alias === undefined) continue;
    isFound = true;
    const words = typeof alias === 'string' ? alias.split(/\s+/) : [alias].flat().map(String);
    if (words[0] !== verb) followers.follow(trail, ['cargo', ...words, ...rest], where);
  }
  return isFound;
}

function cargoSettings(
  trail: Trail,
  where: FollowPosition,
): readonly { readonly path: string; readonly table: Readonly<Record<string, unknown>> }[] {
  return CARGO_FILES.flatMap((file) => upwards(where.folders, file)).flatMap((path) => {
    trail.strict.add(path);
    const text = trail.base.has(path) ? trail.text(path) : undefined;
    if (text === undefined) return [];
    const table = parseToml(text);
    if (table === undefined) trail.addNotFollowed(`${path} can't be read`);
    return table === undefined ? [] : [{ path, table }];
  });
}

/** An alias in mix.exs can start any command or script. */
function followMix(trail: Trail, verb: string, where: FollowPosition, followers: Followers): void {
  if (/^(?:run|eval|escript|cmd|do|phx\.server)\b/.test(verb))
    addWorkExecution(trail, `mix ${verb}`);
  for (const path of upwards(where.folders, 'mix.exs')) {
    const text = trail.base.has(path) ? (trail.text(path) ?? '') : '';
    for (const [, line = ''] of text.matchAll(/"cmd\s+([^"]+)"/g))
      followers.followLine(trail, line, where);
    for (const [, script = ''] of text.matchAll(/"run\s+(?:-\S+\s+)*([\w./-]+\.exs)/g))
      for (const found of trail.paths(script, where)) trail.scripts.add(found);
  }
}
