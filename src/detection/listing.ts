/** The files of a project, as far as a decision about its commands needs them. */
import { isRecord, parseJson } from '../base/json.ts';
import type { TomlTable } from '../toml/read-toml.ts';
import { parseToml } from '../toml/read-toml.ts';

export type ProjectListing = {
  /** Every file that a copy of the project contains, relative and with forward slashes. */
  readonly paths: readonly string[];
  /** Files and folders that exist and that git ignores, without a slash at the end. No copy contains them. */
  readonly ignored: readonly string[];
  /** The texts of the files among `paths` that decide something; see `isDecisive`. */
  readonly texts: ReadonlyMap<string, string>;
};

const DECISIVE =
  /(?:^|\/)(?:package\.json|requirements[\w.-]*\.(?:txt|in)|(?:dev|test)-requirements\.txt|pyproject\.toml|Pipfile|setup\.(?:py|cfg)|environment\.ya?ml|poetry\.toml|tox\.ini|Cargo\.toml|go\.mod|go\.work|Gemfile|Rakefile|composer\.json|(?:docker-)?compose[\w.-]*\.ya?ml|(?:GNUm|M|m)akefile|[Jj]ustfile)$/;
/** One look into a test file tells pytest from unittest. */
const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
/** Requirements are often kept in a folder of their own. */
const REQUIREMENTS = /(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/;

/** Whether the text of this file belongs to a listing. */
export function isDecisive(path: string): boolean {
  return DECISIVE.test(path) || PYTHON_TEST.test(path) || REQUIREMENTS.test(path);
}

export function isPythonTest(path: string): boolean {
  return PYTHON_TEST.test(path);
}

/** One folder of a listing. Its paths are relative to that folder. */
export class FolderListing {
  readonly paths: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #prefix: string;

  /** `folder` is `''` for the project itself. */
  constructor(listing: ProjectListing, folder: string) {
    this.#prefix = folder === '' ? '' : `${folder}/`;
    this.#texts = listing.texts;
    this.paths = new Set(inside(listing.paths, this.#prefix));
    this.ignored = new Set(inside(listing.ignored, this.#prefix));
  }

  has(...paths: readonly string[]): boolean {
    return paths.some((path) => this.paths.has(path));
  }

  /** The first of these files that exists. */
  first(...paths: readonly string[]): string | undefined {
    return paths.find((path) => this.paths.has(path));
  }

  /** The paths that match, in the order of the listing. */
  matching(pattern: RegExp): readonly string[] {
    return [...this.paths].filter((path) => pattern.test(path));
  }

  /** Empty if the file does not exist. */
  text(path: string): string {
    return this.#texts.get(this.#prefix + path) ?? '';
  }

  /** Undefined if the file does not exist or is no JSON object. */
  json(path: string): Readonly<Record<string, unknown>> | undefined {
    const value = parseJson(this.text(path));
    return isRecord(value) ? value : undefined;
  }

  /** Empty if the file does not exist or is no TOML. */
  toml(path: string): TomlTable {
    return parseToml(this.text(path)) ?? {};
  }

  /** Whether the copy contains a folder with this name. */
  contains(folder: string): boolean {
    return [...this.paths].some((path) => path.startsWith(`${folder}/`));
  }
}

function inside(paths: readonly string[], prefix: string): readonly string[] {
  if (prefix === '') return paths;
  return paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
}
