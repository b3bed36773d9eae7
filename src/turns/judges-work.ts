/**
 * Whether a command builds or tests the work. What it says about waiting is then about the work too: migrations are
 * pending, or a test has waited for an element in vain. A script that only has such a name, like `./check 7`, may ask
 * about anything.
 */

const WORDS =
  'e2e|tests?|specs?|lint|checks?|builds?|compile|vet|clippy|coverage|audit|type-?check|format|fmt|verify|validate|docs';
/** Programs that do nothing else. */
const PROGRAM =
  /(?:^|[\s;&|({/])(?:tsc|mypy|pyright|ruff|flake8|pylint|eslint|biome|knip|jest|vitest|mocha|ava|pytest|tox|nox|rspec|minitest|phpunit|ctest|make|cmake|ninja|meson|bazel|gradlew?|mvnw?|xcodebuild|msbuild|gcc|g\+\+|clang|javac|rustc)(?=$|[\s;&|)}])/;
/** Programs that also do other things, before a word that says what. */
const TASK = new RegExp(
  `(?:^|[\\s;&|({/])(?:npm|npx|pnpm|yarn|bun|bunx|deno|node|nx|turbo|ng|vite|next|playwright|cypress|cargo|go|zig|dotnet|swift|flutter|dart|mix|rails|rake|composer|artisan|manage\\.py|python3?|uv|poetry|sbt|lein|stack|cabal|just|docker)\\s[^;&|]{0,80}?(?<=[\\s:-])(?:${WORDS})(?=$|[\\s:;&|)}])`,
);

export function judgesWork(command: string): boolean {
  return PROGRAM.test(command) || TASK.test(command);
}
