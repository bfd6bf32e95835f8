"""The games as an environment of OpenEnv: the folder is the package that its tools read."""
