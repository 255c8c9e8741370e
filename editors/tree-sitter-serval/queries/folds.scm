[(block) (enum) (block_comment)] @fold
