/** The smallest feature step, in CommonJS: a function that returns what to add. */
module.exports = ({ appName, sparkVersion }) => ({
  annotations: { "example.com/submitted": `${appName} with Spark ${sparkVersion}` },
});
