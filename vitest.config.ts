import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores: more workers than that only make process tests wait for each other.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "all", include: ["packages/*/test/**/*.test.ts", "tests/**/*.test.ts"] } },
      {
        // The suites whose policies are of version 1, once more in version 2 (tests/support/PolicyVersion.ts).
        extends: true,
        test: {
          name: "version 2 by path",
          env: { MEMORY_BRIDGE_TEST_POLICY: "version 2 by path" },
          include: [
            "packages/core/test/{Admission,Bridge,Denied,DepthLimit,Freshness,Glance,Limits,Notes}.test.ts",
            "packages/core/test/{OperatorReason,Policy,PolicyStore,Skips,Truncation,TrustedEntry}.test.ts",
            "tests/agreement/Explain.test.ts",
            "tests/property/Search.test.ts",
            "tests/real/RealInput.test.ts",
            "tests/refusals/*.test.ts"
          ],
          // Each of their policies says its version.
          exclude: ["tests/refusals/{OddNames,RankedCases,Rights,SharedRoot}.test.ts"]
        }
      }
    ]
  }
})
