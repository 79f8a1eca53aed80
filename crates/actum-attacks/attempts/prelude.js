// Put before every attempt in JavaScript.
console.log("STARTED");
const parameters = JSON.parse(process.argv[1]);
