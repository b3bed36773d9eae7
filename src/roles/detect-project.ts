/** Detects the kind of a project from its files: which role packs are useful, and why. */
import type { PackId } from './packs.ts';

/** The input of the decision. */
export type ProjectFacts = {
  /** Every file, relative and with forward slashes. */
  readonly paths: readonly string[];
  /** The texts of the manifests among them; see `isDecisive` in `src/detection`. */
  readonly texts: ReadonlyMap<string, string>;
};

export type Detected = {
  /** For a person, such as `React` or `Rust`. */
  readonly names: readonly string[];
  readonly packs: ReadonlyMap<PackId, string>;
};

type Clue = {
  readonly name: string;
  readonly pack?: PackId;
  /** Matches the path of a file. */
  readonly path?: RegExp;
  /** Matches the text of a manifest whose path matches `path`. */
  readonly word?: RegExp;
};

const NODE = /(?:^|\/)package\.json$/;
const PYTHON =
  /(?:^|\/)(?:requirements[\w.-]*\.txt|pyproject\.toml|Pipfile|setup\.(?:py|cfg)|environment\.ya?ml)$/;
const COMPOSE = /(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$/;
const RUST = /(?:^|\/)Cargo\.toml$/;
const GO = /(?:^|\/)go\.mod$/;

/** A dependency in package.json, where names are quoted. */
const npm = (names: string): RegExp => new RegExp(`"(?:${names})"\\s*:`);
/** A dependency in a Python manifest, with or without quotes and versions. */
const pip = (names: string): RegExp => new RegExp(`^[\\s"'-]*(?:${names})(?![\\w-])`, 'im');

const CLUES: readonly Clue[] = [
  { name: 'Node.js', path: NODE },
  { name: 'TypeScript', path: /(?:^|\/)tsconfig[\w.-]*\.json$/ },
  { name: 'Python', path: PYTHON },
  { name: 'React', pack: 'frontend', path: NODE, word: npm('react|next|preact') },
  { name: 'Vue', pack: 'frontend', path: NODE, word: npm('vue|nuxt') },
  { name: 'Svelte', pack: 'frontend', path: NODE, word: npm('svelte|@sveltejs/kit') },
  { name: 'Angular', pack: 'frontend', path: NODE, word: npm('@angular/core') },
  { name: 'Solid', pack: 'frontend', path: NODE, word: npm('solid-js') },
  {
    name: 'a Node.js server',
    pack: 'backend',
    path: NODE,
    word: npm('express|fastify|koa|hono|@nestjs/core|@apollo/server|@hapi/hapi'),
  },
  {
    name: 'a Python server',
    pack: 'backend',
    path: PYTHON,
    word: pip('fastapi|flask|django|starlette|aiohttp|litestar'),
  },
  { name: 'PostgreSQL', pack: 'backend', path: COMPOSE, word: /\b(?:postgres|postgis|timescale)/i },
  { name: 'MySQL', pack: 'backend', path: COMPOSE, word: /\b(?:mysql|mariadb)/i },
  { name: 'Prisma', pack: 'backend', path: /(?:^|\/)schema\.prisma$/ },
  { name: 'pandas', pack: 'data', path: PYTHON, word: pip('pandas|polars|pyspark|dask') },
  {
    name: 'Airflow',
    pack: 'data',
    path: PYTHON,
    word: pip('apache-airflow|airflow|dagster|prefect|luigi'),
  },
  { name: 'dbt', pack: 'data', path: /(?:^|\/)dbt_project\.yml$/ },
  {
    name: 'a Node.js command line',
    pack: 'cli',
    path: NODE,
    word: npm('bin|commander|yargs|oclif|@oclif/core|@clack/prompts'),
  },
  {
    name: 'a Python command line',
    pack: 'cli',
    path: PYTHON,
    word: pip('click|typer|argcomplete|fire'),
  },
  { name: 'a Rust command line', pack: 'cli', path: RUST, word: /^\s*(?:clap|structopt)\s*=/m },
  { name: 'a Go command line', pack: 'cli', path: GO, word: /spf13\/cobra|urfave\/cli/ },
  {
    name: 'Docker',
    pack: 'infra',
    path: /(?:^|\/)(?:Dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml)$/,
  },
  { name: 'Kubernetes', pack: 'infra', path: /(?:^|\/)(?:k8s|kubernetes|helm|charts)\// },
  { name: 'Terraform', pack: 'infra', path: /\.tf$/ },
  {
    name: 'continuous integration',
    pack: 'infra',
    path: /^\.github\/workflows\/|^\.gitlab-ci\.yml$/,
  },
  { name: 'Solidity', pack: 'contracts', path: /\.sol$/ },
  { name: 'Rust', pack: 'rust', path: RUST },
  { name: 'Go', pack: 'go', path: GO },
  {
    name: 'trading libraries',
    pack: 'trading',
    path: PYTHON,
    word: pip(
      'ccxt|backtrader|zipline(?:-reloaded)?|vectorbt|ib[_-]insync|alpaca-(?:py|trade-api)|freqtrade',
    ),
  },
];

export function detectProject(facts: ProjectFacts): Detected {
  const names: string[] = [];
  const packs = new Map<PackId, string>();
  for (const clue of CLUES) {
    if (!matches(clue, facts)) continue;
    names.push(clue.name);
    if (clue.pack !== undefined && !packs.has(clue.pack)) packs.set(clue.pack, clue.name);
  }
  return { names, packs };
}

function matches({ path, word }: Clue, { paths, texts }: ProjectFacts): boolean {
  if (path === undefined) return false;
  return word === undefined
    ? paths.some((one) => path.test(one))
    : [...texts].some(([one, text]) => path.test(one) && word.test(text));
}
