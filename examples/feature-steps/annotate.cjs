/** Minimal feature step in CommonJS: a function that returns its additions to the pod. */
module.exports = ({ appName, sparkVersion }) => ({
  annotations: { "example.com/submitted": `${appName} with Spark ${sparkVersion}` },
});
