/**
 * Replaces `npx tool` by the program that npx would start. A sandbox has no network and no access to the cache
 * of npx, so the program is searched outside and started directly.
 */
import { basename, join } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { existing } from '../../host/files/system-dirs.ts';
import { namesIn, readText } from '../../host/process/script-file.ts';
import { which } from '../../host/process/which.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Argv = readonly [string, ...string[]];

export type UnwrappedCommand =
  | { readonly kind: 'command'; readonly argv: Argv }
  | { readonly kind: 'missing'; readonly message: string };

/** Leaves other commands unchanged, and commands of packages that the project has installed. */
export function unwrapNpx(argv: Argv, project: string, env: Env): UnwrappedCommand {
  const npxCommand = readNpx(argv);
  if (npxCommand === undefined) return { kind: 'command', argv };
  const { name, version, program, rest } = npxCommand;
  if (existing([join(project, 'node_modules/.bin', program)]).length > 0)
    return { kind: 'command', argv };
  const found = inPath(npxCommand, env) ?? inCache(npxCommand, env);
  if (found !== undefined) return { kind: 'command', argv: [found, ...rest] };
  const spec = version === undefined ? name : `${name}@${version}`;
  return {
    kind: 'missing',
    message: `npx would have to fetch ${spec}, and the sandbox has no network: npm install --global ${spec}`,
  };
}

type NpxCommand = {
  /** The name of the package. */
  readonly name: string;
  readonly version: string | undefined;
  readonly program: string;
  readonly rest: readonly string[];
};

const SWITCHES =
  /^(?:-y|--yes|--no|--no-install|-q|--quiet|--offline|--prefer-offline|-s|--silent|--)$/;

/** Undefined: it is not npx, or it uses other options of npx. */
function readNpx([command, ...args]: Argv): NpxCommand | undefined {
  const options = [...args];
  if (basename(command) === 'npm' && /^(?:exec|x)$/.test(options[0] ?? '')) options.shift();
  else if (basename(command) !== 'npx') return undefined;
  let packageOption: string | undefined;
  for (let option = options.shift(); option !== undefined; option = options.shift()) {
    const [, given] = /^--package=(.+)$/.exec(option) ?? [];
    if (given !== undefined) packageOption = given;
    else if (option === '-p' || option === '--package') packageOption = options.shift();
    else if (SWITCHES.test(option)) continue;
    else if (option.startsWith('-')) return undefined;
    else {
      const [, name, version] =
        /^((?:@[\w.-]+\/)?[\w.-]+)(?:@(.+))?$/.exec(packageOption ?? option) ?? [];
      if (name === undefined) return undefined;
      if (options[0] === '--' && basename(command) === 'npm') options.shift();
      return {
        name,
        version,
        program: packageOption === undefined ? basename(name) : option,
        rest: options,
      };
    }
  }
  return undefined;
}

/** A global installation counts if it has the requested version. */
function inPath({ name, version, program }: NpxCommand, env: Env): string | undefined {
  const found = which(program, env);
  const real = found === undefined ? undefined : realPathSync(found);
  if (found === undefined || real === undefined) return undefined;
  const at = real.lastIndexOf(`/node_modules/${name}/`);
  if (at < 0) return version === undefined ? found : undefined;
  return isVersion(version, real.slice(0, at), name) ? found : undefined;
}

/** The package in the cache of npx. */
function inCache({ name, version, program }: NpxCommand, env: Env): string | undefined {
  const cache = env['npm_config_cache'] ?? join(env['HOME'] ?? '/', '.npm');
  const folders = namesIn(join(cache, '_npx')).map((hash) => join(cache, '_npx', hash));
  const folder = folders.find((one) => isVersion(version, one, name));
  if (folder === undefined) return undefined;
  const bin = join(folder, 'node_modules/.bin');
  const only = namesIn(bin).filter((each) => leadsInto(join(bin, each), name));
  const chosen = only.includes(program) ? program : only.length === 1 ? only[0] : undefined;
  return chosen === undefined ? undefined : join(bin, chosen);
}

function leadsInto(path: string, name: string): boolean {
  return realPathSync(path)?.includes(`/node_modules/${name}/`) === true;
}

/** Only an exact version is compared. Tags and ranges always match. */
function isVersion(version: string | undefined, root: string, name: string): boolean {
  const text = readText(join(root, 'node_modules', name, 'package.json'));
  const read = text === undefined ? undefined : parseJson(text);
  if (!isRecord(read)) return false;
  return version === undefined || !/^\d+\.\d+\.\d+/.test(version) || read['version'] === version;
}
