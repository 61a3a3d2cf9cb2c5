def file_tree(files):
    """The files of a skill as nested folders, for templates/_files.html.

    `[{"name", "file" or "nodes"}]`, in the order of the files.
    """
    root = []
    folders = {"": root}
    for file in files:
        *above, name = file["path"].split("/")
        for depth in range(len(above)):
            path = "/".join(above[: depth + 1])
            if path not in folders:
                folders[path] = []
                parent = folders["/".join(above[:depth])]
                parent.append({"name": above[depth], "nodes": folders[path]})
        folders["/".join(above)].append({"name": name, "file": file})
    return root
