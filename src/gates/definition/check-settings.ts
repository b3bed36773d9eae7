/** Settings of what checks: with them a test runner, a compiler or a linter can be told to look at nothing. */
import { SETTINGS } from './program-settings.ts';

/** What decides for every program: package managers, versions of tools, variables, monorepos, git. */
const GENERAL: readonly string[] = [
  String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.(?:c?js|loader\.mjs)|\.pnpmfile\.[cm]?js|pnpm-workspace\.yaml|bunfig\.toml|node\.config\.json`,
  String.raw`\.env(?:\.(?!example|sample|template|dist)[\w.-]+)?|\.envrc|\.Rprofile|\.Renviron`,
  String.raw`\.python-version|\.node-version|\.nvmrc|\.ruby-version|\.tool-versions|\.?mise(?:\.[\w.-]+)?\.toml`,
  String.raw`nx\.json|project\.json|turbo\.json|lerna\.json|rush\.json|moon\.yml|\.wireit`,
  String.raw`wallaby\.[cm]?js|nightwatch\.conf\.[a-z]+|noxfile\.py|tox\.toml|\.jshintrc|\.jscsrc`,
  String.raw`hatch\.toml|sitecustomize\.py|usercustomize\.py|[\w.-]+\.pth|\.pdbrc|pyvenv\.cfg`,
  String.raw`CTestCustom\.cmake|CTestTestfile\.cmake|BUILD_TOOLS`,
  String.raw`\.gitattributes|\.gitmodules`,
];
/** Names of files, at any depth; apart from those with a folder, since a large tree is looked through whole. */
const ALL = [...GENERAL, ...SETTINGS];
const NAMES = new RegExp(`^(?:${ALL.filter((one) => !one.includes('/')).join('|')})$`, 'i');
const PLACES = new RegExp(`(?:^|/)(?:${ALL.filter((one) => one.includes('/')).join('|')})$`, 'i');
/** Folders of settings, with all that is in them. */
const FOLDERS =
  /(?:^|\/)(?:\.yarn|\.husky|\.config\/nextest|\.config\/mise|\.?mise-tasks|\.mise\/tasks|\.storybook|__pypackages__|[^/]+\.(?:dist|egg)-info)\/|(?:^|\/)typings\/.*\.pyi$/i;
/** Libraries of tests that a project keeps a copy of. */
const VENDORED =
  /(?:^|\/)(?:vendor|third_party)\/(?:[^/]+\/)*(?:testify|ginkgo|gomega|go-cmp|gotest\.tools|gomock|mock|is|assert|phpunit|pest|mockery|prophecy|codeception|behat|phpspec|rspec[\w-]*|minitest[\w-]*|test-unit[\w-]*|googletest|gtest|catch2|doctest|unity|cmocka|criterion)(?:@[^/]*)?\//i;
/** What is installed, and so what a check is made of. The work's own belongs elsewhere. */
export const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|venv|site-packages)(?:\/|$)/;
/**
 * Restored without a word: results that a tool would believe, and rules about which files there are.
 * They change with ordinary work, and the gate has judged without them.
 */
const QUIET =
  /(?:^|\/)(?:\.(?:git|eslint|prettier|stylelint|docker|npm|hg|rg)?ignore|\.fdignore|__pycache__\/.*|[^/]*\.py[co]|\.pytest_cache\/.*|\.mypy_cache\/.*|\.ruff_cache\/.*|\.tox\/.*|\.nox\/.*|\.hypothesis\/.*|\.coverage|[^/]*\.tsbuildinfo|\.eslintcache|\.stylelintcache|\.prettiercache|\.nyc_output\/.*|\.turbo\/.*|\.nx\/.*|\.parcel-cache\/.*|\.gradle\/.*|\.rspec_status|\.phpunit(?:\.result)?\.cache(?:\/.*)?|\.jest-cache\/.*|\.swc\/.*)$/;

export function isCheckSetting(path: string): boolean {
  if (NAMES.test(path.slice(path.lastIndexOf('/') + 1))) return true;
  return [PLACES, FOLDERS, VENDORED, INSTALLED].some((pattern) => pattern.test(path));
}

export function isQuietSetting(path: string): boolean {
  return QUIET.test(path) && !/(?:^|\/)\.(?:eslint|prettier|stylelint)ignore$/.test(path);
}

/** A build folder whose results a build tool would take as its own, beside the file that makes it one. */
export function isBuildResult(path: string, has: (path: string) => boolean): boolean {
  const [, folder = ''] = /^(.*?)(?:^|\/)target\//.exec(path) ?? [undefined, undefined];
  if (!/(?:^|\/)target\//.test(path)) return false;
  const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  return ['Cargo.toml', 'pom.xml', 'build.sbt'].some((name) => has(at(name)));
}
