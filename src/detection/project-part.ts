/** What was found in one folder of a project for one language: its checks and its dependencies. */

export type CheckKind = 'test' | 'lint' | 'typecheck';

export type DetectedCheck = {
  readonly kind: CheckKind;
  readonly command: readonly string[];
  /** Where it was found, such as `the script test in package.json`. */
  readonly why: string;
};

/** Dependencies that a fresh copy of the project lacks. */
export type MissingDependencies = {
  /** The folder that would hold them, such as `node_modules`. */
  readonly folder: string;
  /** Whether that folder exists in the user's project and git ignores it. */
  readonly isIgnored: boolean;
  /** The command that builds them in a copy. Null if none is known to work behind a proxy. */
  readonly install: readonly string[] | null;
  /** The files that decide the result. */
  readonly inputs: readonly string[];
  /** What to do by hand if `install` is null. */
  readonly advice: string | null;
};

export type Language = 'node' | 'python' | 'go' | 'rust' | 'java' | 'ruby' | 'php' | 'other';

export type ProjectPart = {
  readonly language: Language;
  /** The package manager or the build tool, such as `pnpm`. */
  readonly manager: string;
  readonly checks: readonly DetectedCheck[];
  readonly dependencies: MissingDependencies | null;
};
